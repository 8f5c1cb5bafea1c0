/* attention_64.cu - attention.cu for heads of 64 elements.
 * SPDX-License-Identifier: MIT
 */
#define HEAD 64
#include "attention_of.h"
