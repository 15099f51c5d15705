/* Configuration of fabric parts (hash <hash>) for kernel none.
   Send the words in order, one a cycle, with cfg_last on the final one.
   SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOM_none__parts_CONFIG_H
#define LOOM_none__parts_CONFIG_H

#include <stdint.h>

static const uint32_t loom_none__parts_config_word_count = 0;
static const uint32_t loom_none__parts_config_words[1] = {
    0x00000000u,
};

#endif
