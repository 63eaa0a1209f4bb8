import { formOf, readForm } from './form.ts';
import type { SignIn, Step } from './steps.ts';

/** What is used of a request of Express, or of `node:http`. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly originalUrl?: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly ip?: string | undefined;
  readonly readableEnded: boolean;
}

/** What is used of an answer of Express, or of `node:http`. */
export interface NodeResponse {
  appendHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  readonly destroyed: boolean;
}

/** What the application has to answer. */
export type Onward = Exclude<Step, { readonly answer: Response }>;

/**
 * Answers what is the sign-in's to answer, and sets the cookies of what the application answers.
 * @returns null where the request is none of the sign-in's
 */
export async function stepAtNode(
  signIn: SignIn,
  request: NodeRequest,
  response: NodeResponse,
  address: string | undefined,
): Promise<Onward | 'answered' | null> {
  const { method = '', headers } = request;
  const step = await signIn.step({
    method,
    url: request.originalUrl ?? request.url ?? '',
    header: (name) => headers[name]?.toString(),
    // Some readers of other kinds leave an empty object where they have read nothing.
    form: async () =>
      request.readableEnded && request.body !== undefined
        ? formOf(request.body)
        : readForm(request),
    address,
  });
  if (step === null) return null;
  if (!('answer' in step)) {
    for (const cookie of step.cookies) response.appendHeader('set-cookie', cookie);
    return step;
  }
  await send(step.answer, response);
  return 'answered';
}

/** Writes no faster than the browser reads, and ends a stream of events when its page is gone. */
export async function send(
  { status, headers, body }: Response,
  response: NodeResponse,
): Promise<void> {
  const reader = body?.getReader();
  if (response.destroyed) return reader?.cancel();
  // Each is a line of its own, which an object of headers can't have.
  for (const cookie of headers.getSetCookie()) response.appendHeader('set-cookie', cookie);
  headers.delete('set-cookie');
  response.writeHead(status, Object.fromEntries(headers));
  let waiting: (() => void) | undefined;
  response.once('close', () => {
    waiting?.();
    reader?.cancel().catch(() => undefined);
  });
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    if (response.write(read.value)) continue;
    await new Promise<void>((resolve) => {
      waiting = resolve;
      response.once('drain', resolve);
    });
  }
  response.end();
}
