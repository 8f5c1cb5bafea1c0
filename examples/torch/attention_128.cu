/* attention_128.cu - attention.cu for heads of 128 elements.
 * SPDX-License-Identifier: MIT
 */
#define HEAD 128
#include "attention_of.h"
