/** The numbers of Linux's capabilities that containers of the tests keep (linux/capability.h). */
const NUMBERS = {
  CHOWN: 0,
  DAC_OVERRIDE: 1,
  FOWNER: 3,
  SETGID: 6,
  SETUID: 7,
  NET_BIND_SERVICE: 10,
} as const;

const DIGITS = 16;

/** A set of capabilities as /proc/PID/status writes it. */
export function maskOf(names: readonly (keyof typeof NUMBERS)[]): string {
  const mask = names.reduce((sum, name) => sum + 2 ** NUMBERS[name], 0);
  return mask.toString(16).padStart(DIGITS, '0');
}
