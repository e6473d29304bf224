#ifndef PROCESS_CODE_H
#define PROCESS_CODE_H

/* Unmap the pages of the program's code and constants that its start has used. They stay in the page cache, from which those
 * that are used again are mapped again. */
void process_unmap_code(void);

#endif
