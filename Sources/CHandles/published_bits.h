/* Memory for the bits of a policy handle; of this folder only. */
#ifndef PUBLISHED_BITS_H
#define PUBLISHED_BITS_H

/* Closed until the first bits are published; NULL without memory. */
struct published *policy_bits_new(void);

#endif
