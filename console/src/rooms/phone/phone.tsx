import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useCallback, useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
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

type OneTimeCode = {
  readonly code: string;
  /** The page of the phone; null where no other device reaches the instance. */
  readonly phone_url: string | null;
};

/** Before the two minutes of a code are over. The clock of this browser may be wrong. */
const RENEWED_AFTER_MS = 110_000;

/** A symbol that lets a real phone in, and shows it the phone of the test people. */
export function Phone(): JSX.Element {
  const { data, failure, again } = useCode();
  const { phone } = words;
  return (
    <>
      <Title>{phone.title}</Title>
      <p class="lead">{phone.text}</p>
      <Failed failure={failure.value} />
      {data.value === null ? null : data.value.phone_url === null ? (
        <Unreached />
      ) : (
        <Address code={data.value.code} phoneUrl={data.value.phone_url} again={again} />
      )}
    </>
  );
}

/** A code, and another one before it is too old, for as long as the room is open. */
function useCode() {
  const data = useSignal<OneTimeCode | null>(null);
  const failure = useSignal<ApiFailure | null>(null);
  const again = useCallback(async () => {
    try {
      data.value = await call<OneTimeCode>('POST', '/simulator/session-codes', {});
      failure.value = null;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      failure.value = error;
    }
  }, []);
  const shown = data.value;
  useEffect(() => void again(), [again]);
  useEffect(
    () => (shown === null ? undefined : later(RENEWED_AFTER_MS, () => void again())),
    [shown, again],
  );
  return { data, failure, again };
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
  if (page.scope !== 'default') query.set('scope', page.scope);
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
