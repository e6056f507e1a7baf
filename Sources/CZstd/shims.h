// Zstandard; everything that is used is visible to Swift as it is.
#ifndef SPEECHGATE_CZSTD_SHIMS_H
#define SPEECHGATE_CZSTD_SHIMS_H

#include <zstd.h>

#endif
