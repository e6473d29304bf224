#include "CPlatform.h"
extern int cplatform_placeholder;
