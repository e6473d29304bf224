#include "slots.h"

slot *_Atomic handle_slots[CHUNKS];
