// How long this process waits for processors that other programs have.
#ifndef UTIL_PROCESSOR_WAIT_H
#define UTIL_PROCESSOR_WAIT_H

// Seconds that its threads were ready to run and did not, since they began, all threads together. NaN where the system
// does not say.
double processor_wait_s(void);

#endif
