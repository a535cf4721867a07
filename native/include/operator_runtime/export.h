/* export.h: linkage of the C ABI. Everything else in the libraries is hidden. */
#ifndef OPERATOR_RUNTIME_EXPORT_H
#define OPERATOR_RUNTIME_EXPORT_H

#ifdef __cplusplus
#define CAMP_API extern "C" __attribute__((visibility("default")))
#else
#define CAMP_API extern __attribute__((visibility("default")))
#endif

#endif
