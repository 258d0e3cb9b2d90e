#include "util/version.h"

#ifdef BANKSHOT_COMMIT
const char version_text[] = BANKSHOT_VERSION " (" BANKSHOT_COMMIT ")";
#else
const char version_text[] = BANKSHOT_VERSION;
#endif
