/** A length of time for people: the two largest units, `1h 5m`. */
export function durationText(milliseconds: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const;
  let left = Math.round(Math.abs(milliseconds) / 1000) * 1000;
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.length === 0 ? '0s' : parts.slice(0, 2).join(' ');
}
