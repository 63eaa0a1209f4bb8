/** More than the largest answer: all test people that an instance keeps are about 15 MB. */
const LIMIT_BYTES = 32 * 1024 * 1024;

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/**
 * The body of an answer, up to a size that an instance never needs.
 * @throws AnswerTooLarge; what `fetch` throws when the body ends early or not in time
 */
export async function answerText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const part of body ?? []) {
    bytes += part.length;
    // Leaving the loop ends the connection.
    if (bytes > LIMIT_BYTES) throw new AnswerTooLarge();
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
