/** What a revocation ended: `1 token and 2 sign-ins`. */
export function endedWords({ tokens, attempts }: { tokens: number; attempts: number }): string {
  return `${counted(tokens, 'token')} and ${counted(attempts, 'sign-in')}`;
}

export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
