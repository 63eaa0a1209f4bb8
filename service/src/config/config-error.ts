/** Lists everything that is wrong with the settings, and what may be. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  /** @param hints what may be the cause, and alone would keep nothing from starting */
  constructor(faults: readonly string[], hints: readonly string[] = []) {
    const counted = `${faults.length} of the settings can't be used:`;
    const others = hints.length === 0 ? [] : [['These may be misspelt:', ...hints]];
    super([[counted, ...faults], ...others].map((lines) => lines.join('\n  - ')).join('\n'));
    this.name = 'ConfigError';
    this.faults = [...faults, ...hints];
  }
}
