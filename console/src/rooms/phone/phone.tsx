import type { OneTimeCode } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useAsked, type Asked } from '../../api/use-call.ts';
import { page } from '../../page.ts';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failed } from '../../parts/failed.tsx';
import { fill } from '../../parts/fill.ts';
import { Title } from '../../parts/title.tsx';
import { later } from '../../platform/later.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { Symbol } from './symbol.tsx';

/** Before the two minutes of a code are over. The clock of this browser may be wrong. */
const RENEWED_AFTER_MS = 110_000;

/** A symbol that lets a real phone in, and shows it the phone of the test people. */
export function Phone(): JSX.Element {
  const { data, failure, again } = useCode();
  const { phone } = words;
  const isReached = (data.value?.phone_url ?? null) !== null;
  return (
    <>
      <Title>{phone.title}</Title>
      {isReached ? <p class="lead">{phone.text}</p> : null}
      <Failed failure={failure.value} />
      {data.value === null ? null : data.value.phone_url === null ? (
        <Unreached />
      ) : (
        <Address code={data.value.code} phoneUrl={data.value.phone_url} again={again} />
      )}
    </>
  );
}

const newCode = () => call('createSessionCode', { body: {} });

/** A code, and another one before it is too old, for as long as the room is open. */
function useCode(): Asked<OneTimeCode> {
  const asked = useAsked(newCode);
  const shown = asked.data.value;
  useEffect(
    () => (shown === null ? undefined : later(RENEWED_AFTER_MS, () => void asked.again())),
    [shown, asked.again],
  );
  return asked;
}

function Unreached(): JSX.Element {
  const { none } = words.phone;
  return (
    <div class="panel" data-testid={testIds.noSymbol}>
      <h2>{none.title}</h2>
      <p>{none.text}</p>
      <p>{fill(none.run, { command: <Code text="npm start -- --lan" /> })}</p>
    </div>
  );
}

type Shown = {
  readonly code: string;
  readonly phoneUrl: string;
  readonly again: () => Promise<void>;
};

function Address({ code, phoneUrl, again }: Shown): JSX.Element {
  const { phone } = words;
  const query = new URLSearchParams({ locale: page.locale });
  if (!page.isUsualScope) query.set('scope', page.scope);
  const address = `${phoneUrl}?${query.toString()}#code=${code}`;
  return (
    <div class="panel to-scan">
      <Symbol address={address} />
      <div>
        <p>{phone.once}</p>
        <p data-testid={testIds.phoneAddress}>
          <Code text={address} />
        </p>
        <CopyButton text={address} label={phone.copy} testId={testIds.copyAddress} />
        <button
          class="secondary small"
          type="button"
          data-testid={testIds.anotherCode}
          onClick={() => void again()}
        >
          {phone.another}
        </button>
        <p class="hint">{phone.network}</p>
      </div>
    </div>
  );
}
