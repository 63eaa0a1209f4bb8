/** What a revocation ended: `1 token and 2 sign-ins`. */
export function endedWords({ tokens, attempts }: { tokens: number; attempts: number }): string {
  return `${counted(tokens, 'token')} and ${counted(attempts, 'sign-in')}`;
}

/** @param many the plural, where it is not the noun with an s */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** The last line of a command that has done everything but write AUDIT_HEAD_FILE. */
export function unwrittenHead(fault: string): string {
  return (
    `All of that is done, and is not to be repeated. But ${fault}. Then the next start of the ` +
    'service writes it.'
  );
}
