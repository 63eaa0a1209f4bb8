import type { JSX } from 'preact';
import type { Entry, Exchange, Message } from '@miftah/contract/control';
import { page } from '../../page.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { fill } from '../../parts/fill.ts';
import { Outside } from '../../parts/outside.tsx';
import { visible } from '../../parts/visible.ts';
import { words } from '../../words/index.ts';
import { canBeCopied, curlOf } from './copy/curl.ts';

/** More of a body would make the page slow, and nobody reads it here. */
const MOST_CHARACTERS = 20_000;
const CODE = /^[a-z_]+\.[a-z_]+$/;

type Properties = { readonly entry: Entry; readonly exchange: Exchange };

/** What went over the wire, masked as the simulator gives it. */
export function Details({ entry, exchange }: Properties): JSX.Element {
  const { attempt } = words;
  return (
    <div class="details">
      <Remedy exchange={exchange} />
      <div class="messages">
        <MessageView title={attempt.request} message={exchange.request} />
        <MessageView title={attempt.response} message={exchange.response} />
      </div>
      {canBeCopied(entry) ? (
        <CopyButton
          text={() => curlOf(exchange, location.origin)}
          label={attempt.copyCurl}
          isQuiet
        />
      ) : null}
    </div>
  );
}

/** What the error's body says to do, and where the catalogue has it. */
function Remedy({ exchange: { code, response } }: Pick<Properties, 'exchange'>) {
  const { attempt } = words;
  const remedy = ['remedy', 'message', 'error_description']
    .map((name) => memberOf(response.body, name))
    .find((text) => text !== null);
  if (code === null) return null;
  return (
    <div class="remedy">
      {remedy === undefined ? null : (
        <p>
          <strong>{attempt.remedy}:</strong> <Outside text={remedy} />
        </p>
      )}
      {page.base !== null && CODE.test(code) ? (
        <p>
          <a href={`/errors/${code}?locale=${page.locale}`}>
            {fill(attempt.catalogue, { code: <Outside text={code} ltr /> })}
          </a>
        </p>
      ) : null}
    </div>
  );
}

function memberOf(body: unknown, name: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value = new Map(Object.entries(body)).get(name) as unknown;
  return typeof value === 'string' ? value : null;
}

type MessageProperties = { readonly title: string; readonly message: Message };

function MessageView({ title, message: { headers, body } }: MessageProperties): JSX.Element {
  const { attempt } = words;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section class="message" aria-label={title}>
      <h3>{title}</h3>
      {lines.length === 0 ? null : <Payload label={attempt.headers} text={lines.join('\n')} />}
      {body === null ? (
        <p class="hint">{attempt.nothing}</p>
      ) : (
        <Payload label={attempt.body} text={textOf(body)} />
      )}
    </section>
  );
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

function Payload({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  const shown = text.slice(0, MOST_CHARACTERS);
  return (
    <>
      <pre dir="ltr" tabIndex={0} aria-label={label}>
        <code>{visible(shown)}</code>
      </pre>
      {shown.length === text.length ? null : (
        <p class="hint">
          {fill(words.attempt.cut, {
            shown: <span class="number">{shown.length}</span>,
            all: <span class="number">{text.length}</span>,
          })}
        </p>
      )}
    </>
  );
}
