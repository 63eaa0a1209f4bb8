/** What a revocation ended: `1 token and 2 sign-ins`. */
export function endedWords({ tokens, attempts }: { tokens: number; attempts: number }): string {
  return `${counted(tokens, 'token')} and ${counted(attempts, 'sign-in')}`;
}

/** @param many the plural, where it is not the noun with an s */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
