import type { ComponentChildren, JSX } from 'preact';
import type { TimeLine } from '@miftah/contract/control';
import { page } from '../../page.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { fill } from '../../parts/fill.ts';
import { named } from '../../parts/named.ts';
import { Outside } from '../../parts/outside.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Title } from '../../parts/title.tsx';
import { visible } from '../../parts/visible.ts';
import { When } from '../../parts/when.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { Actions } from './actions.tsx';
import { spanText } from './span.ts';

/** What the attempt is, and what can be done with it. */
export function Head({ timeLine }: { readonly timeLine: TimeLine }): JSX.Element {
  const { attempt } = timeLine;
  return (
    <header class="attempt-head">
      <Title>
        {fill(words.attempt.title, {
          flow: <bdi>{visible(named(words.common.flows, attempt.flow))}</bdi>,
        })}
      </Title>
      <p class="attempt-state" data-testid={testIds.attemptState}>
        <StateBadge row={attempt} />
        {attempt.reason === null ? null : <Outside class="reason" text={attempt.reason} ltr />}
        {attempt.source === 'imported' ? <span class="badge">{words.common.imported}</span> : null}
      </p>
      <Facts timeLine={timeLine} />
      <Actions timeLine={timeLine} />
    </header>
  );
}

function Facts({ timeLine: { attempt, entries } }: { readonly timeLine: TimeLine }): JSX.Element {
  const { facts } = words.attempt;
  const [first, last] = [entries[0], entries.at(-1)];
  const took = first && last ? Date.parse(last.at) - Date.parse(first.at) : null;
  const isOpen = attempt.state === 'pending';
  return (
    <dl class="attempt-facts">
      <Fact label={facts.client}>
        <Outside text={attempt.client?.[page.locale] ?? words.attempts.noClient} />
      </Fact>
      {attempt.person === null ? null : (
        <Fact label={facts.person}>
          <Outside text={attempt.person[page.locale]} />
        </Fact>
      )}
      {attempt.service === null ? null : (
        <Fact label={facts.service}>
          <Outside text={named(words.attempt.services, attempt.service)} />
        </Fact>
      )}
      <Fact label={facts.began}>
        <When time={attempt.created_at} />
      </Fact>
      {isOpen || took === null ? (
        <Fact label={facts.expires}>
          <When time={attempt.expires_at} />
        </Fact>
      ) : (
        <Fact label={facts.took}>
          <span class="number">{spanText(took, words.common.units)}</span>
        </Fact>
      )}
      <Fact label={facts.id} wide>
        <Outside class="id" text={attempt.id} ltr />{' '}
        <CopyButton text={attempt.id} label={words.common.copy} isQuiet />
      </Fact>
    </dl>
  );
}

type FactProperties = {
  readonly label: string;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
};

function Fact({ label, wide = false, children }: FactProperties): JSX.Element {
  return (
    <div class={wide ? 'fact-wide' : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
