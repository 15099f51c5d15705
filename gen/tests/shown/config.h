/* Configuration of fabric parts (hash <hash>) for kernel add.one.
   Send the words in order, one a cycle, with cfg_last on the final one.
   SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOM_add_one__parts___0b7c6560_CONFIG_H
#define LOOM_add_one__parts___0b7c6560_CONFIG_H

#include <stdint.h>

static const uint32_t loom_add_one__parts___0b7c6560_config_word_count = 22;
static const uint32_t loom_add_one__parts___0b7c6560_config_words[22] = {
    0x00000000u, 0x00000000u, 0x00000000u, 0x00000001u, 0x00000000u, 0x00000001u, 0x00000000u, 0x00000002u,
    0x00000001u, 0x00000001u, 0x00000002u, 0x00000000u, 0x00000001u, 0x00000001u, 0x00000000u, 0x00000001u,
    0x00000000u, 0x00000000u, 0x9080810bu, 0x84c3b2a1u, 0x0032a190u, 0x00092220u,
};

/* in0       n: index, 32 bits
   not used  nobody: f32, 32 bits
   out11     done: control, no data */
#define LOOM_add_one__parts___0b7c6560_IN_n 0
#define LOOM_add_one__parts___0b7c6560_OUT_done 11

/* Base addresses of external memory. The fabric reads and writes each argument below at the byte address
   that these words hold. Set all of them in a copy of the words, then send the copy:

     uint32_t words[sizeof loom_add_one__parts___0b7c6560_config_words / sizeof loom_add_one__parts___0b7c6560_config_words[0]];
     memcpy(words, loom_add_one__parts___0b7c6560_config_words, sizeof words);
     LOOM_add_one__parts___0b7c6560_BASE_a_1(words, 0x10000);

   An address is what the fabric's AXI port sends (physical, unless an IOMMU stands between), below 2^32, and
   a multiple of the element's bytes. LOOM_add_one__parts___0b7c6560_WORD_* are the indices of the words. */

/* `a_1`: port region 0, lanes 0 to 0, elements of 4 bytes. */
#define LOOM_add_one__parts___0b7c6560_WORD_a_1_0 6
#define LOOM_add_one__parts___0b7c6560_BASE_a_1(words, address) ((words)[LOOM_add_one__parts___0b7c6560_WORD_a_1_0] = (uint32_t)(address))

/* `b_c`: port region 1, lanes 1 to 1, elements of 2 bytes. */
#define LOOM_add_one__parts___0b7c6560_WORD_b_c_0 11
#define LOOM_add_one__parts___0b7c6560_BASE_b_c(words, address) ((words)[LOOM_add_one__parts___0b7c6560_WORD_b_c_0] = (uint32_t)(address))

#endif
