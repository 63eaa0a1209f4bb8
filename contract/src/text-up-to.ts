/**
 * The text of an answer; null for one of more bytes, of which the rest is not read: an answer without
 * an end would fill the memory. By a reader, because not every browser can go through a body in a loop.
 */
export async function textUpTo(
  { body }: Pick<Response, 'body'>,
  mostBytes: number,
): Promise<string | null> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) return text + decoder.decode();
    bytes += value?.length ?? 0;
    text += decoder.decode(value, { stream: true });
    if (bytes <= mostBytes) continue;
    await reader?.cancel();
    return null;
  }
}
