import type { Shown } from './provocations.ts';

/**
 * A reply in which every value that differs between runs is replaced by a name, so that it can be
 * compared with the last release. Times are equal because of the fake clock.
 */
export interface GoldenReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Headers that Node adds itself. */
const HOP_BY_HOP = new Set(['date', 'connection', 'content-length', 'transfer-encoding']);

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** Gives the same name to the same value in all replies of one scenario. */
export class Namer {
  readonly #names = new Map<string, string>();

  reply({ status, headers, body }: Shown): GoldenReply {
    const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name));
    const named = kept.map(([name, value]): [string, string] => [
      name,
      name === 'x-request-id' ? '<request id>' : this.#text(value),
    ]);
    named.sort(([one], [other]) => (one < other ? -1 : 1));
    return { status, headers: Object.fromEntries(named), body: this.#body(body, headers) };
  }

  #body(body: string, { 'x-request-id': requestId = '' }: Shown['headers']): unknown {
    const text = this.#text(requestId === '' ? body : body.replaceAll(requestId, '<request id>'));
    return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
  }

  #text(text: string): string {
    return text
      .replace(/mft_test_[0-9A-Za-z]{49}/g, (token) => this.#name('API token', token))
      .replace(/(?<="attempt_token":")[\w-]{64}/g, (token) => this.#name('attempt token', token))
      .replace(/(?<="random":")\d{6}/g, (code) => this.#name('random', code))
      .replace(/(?<="reference":)\d+/g, (number) => `"${this.#name('reference', number)}"`)
      .replace(/(?<=completion_code=)[\w-]{43}/g, (code) => this.#name('completion code', code))
      .replace(UUID, (id) => this.#name('id', id));
  }

  #name(kind: string, value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const ofKind = [...this.#names.values()].filter((name) => name.startsWith(`<${kind} `));
    const name = `<${kind} ${ofKind.length + 1}>`;
    this.#names.set(value, name);
    return name;
  }
}
