/** The text at this path of a JSON answer; null if the answer is not JSON or has no text there. */
export function textAt(answer: string, ...path: readonly string[]): string | null {
  let value = parse(answer);
  for (const name of path) value = isObject(value) ? value[name] : null;
  return typeof value === 'string' ? value : null;
}

function parse(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
