import type { JSX } from 'preact';
import { call, read } from '../../api/call.ts';
import type { TimeLine } from '@miftah/contract/control';
import { useAction } from '../../api/use-action.ts';
import { page } from '../../page.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failed } from '../../parts/failed.tsx';
import { keptToken } from '../../platform/kept.ts';
import { saveFile } from '../../platform/file.ts';
import { linkTo } from '../../router.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { clientScript } from './copy/client-script.ts';
import { curlScript } from './copy/curl-script.ts';

/** What can be done with an attempt. */
export function Actions({ timeLine }: { readonly timeLine: TimeLine }): JSX.Element {
  const { actions } = words.attempt;
  const { id } = timeLine.attempt;
  const { isBusy, failure, run } = useAction();
  const isGuarded = keptToken.read() !== null;
  const curl = curlScript(timeLine, { origin: location.origin, isGuarded });
  const client = clientScript(timeLine, page.base ?? location.origin);
  return (
    <>
      <div class="actions" role="group" aria-label={actions.label}>
        <button
          class="primary"
          type="button"
          disabled={isBusy.value}
          data-testid={testIds.replay}
          onClick={() => void run(() => replay(id))}
        >
          {isBusy.value ? actions.replaying : actions.replay}
        </button>
        {isOnPhone(timeLine) ? (
          <a class="secondary button" href={page.phone} data-testid={testIds.toPhone}>
            {actions.phone}
          </a>
        ) : null}
        <button
          class="secondary"
          type="button"
          data-testid={testIds.exported}
          onClick={() => void run(() => exportFile(id))}
        >
          {actions.exported}
        </button>
        {curl === null ? null : (
          <CopyButton text={curl} label={actions.curl} testId={testIds.copyCurl} isQuiet />
        )}
        {client === null ? null : (
          <CopyButton text={client} label={actions.client} testId={testIds.copyClient} isQuiet />
        )}
      </div>
      <Failed failure={failure.value} />
    </>
  );
}

/** Also who ignores a push takes it off the phone. */
function isOnPhone({ attempt, entries }: TimeLine): boolean {
  const { flow, state, source, answered } = attempt;
  const isOpen = flow === 'mfa' && state === 'pending' && source === 'own' && !answered;
  return isOpen && !entries.some(({ act }) => act !== null && act.decision !== null);
}

/** Begins an attempt like it, and goes there. */
async function replay(id: string): Promise<string> {
  const started = await call('replayAttempt', { id });
  location.hash = linkTo('attempts', started.attempt_id);
  return '';
}

async function exportFile(id: string): Promise<string> {
  const answer = await read(`/simulator/attempts/${encodeURIComponent(id)}/export`);
  saveFile(`miftah-attempt-${id.replaceAll(/[^\w-]/g, '')}.json`, await answer.text());
  return '';
}
