import type { JSX } from 'preact';
import type { Row } from '@miftah/contract/control';
import { page } from '../../page.ts';
import { named } from '../../parts/named.ts';
import { Outside } from '../../parts/outside.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { When } from '../../parts/when.tsx';
import { linkTo } from '../../router.ts';
import { shownReason } from '../../state/rows.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';

type Properties = { readonly row: Row; readonly tabIndex: 0 | -1 };

/** One attempt of the list: a link to its time line. */
export function AttemptRow({ row, tabIndex }: Properties): JSX.Element {
  const { id, flow, client, service, created_at, source, person } = row;
  const reason = shownReason(row);
  return (
    <a
      class="attempt"
      href={linkTo('attempts', id)}
      tabIndex={tabIndex}
      data-testid={testIds.attempt(id)}
    >
      <StateBadge row={row} />
      <span class="attempt-time">
        <When time={created_at} />
      </span>
      <span class="attempt-flow">{named(words.common.flows, flow)}</span>
      <span class="attempt-about">
        <Outside
          class="attempt-client"
          text={client?.[page.locale] ?? service ?? words.attempts.noClient}
        />
        {person === null ? null : <Outside class="attempt-person" text={person[page.locale]} />}
        {reason === null ? null : <Outside class="attempt-reason" text={reason} ltr />}
        {source === 'imported' ? <span class="badge">{words.common.imported}</span> : null}
      </span>
      <Outside class="attempt-id" text={id} ltr />
    </a>
  );
}
