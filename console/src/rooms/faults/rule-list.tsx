import type { CountedRule } from '@miftah/contract/control';
import type { ComponentChildren, JSX } from 'preact';
import { curlLine } from '../../api/curl-line.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { named } from '../../parts/named.ts';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { withoutCounts } from './rule.ts';

type Properties = {
  readonly rules: readonly CountedRule[];
  readonly onRemove: (place: number) => void;
  readonly onRepeat: () => void;
  readonly onClear: () => void;
};

/** The rules with what they have seen, and what can be done with all of them. */
export function RuleList({ rules, onRemove, onRepeat, onClear }: Properties): JSX.Element {
  const { faults } = words;
  const command = curlLine('PUT', '/simulator/faults', { faults: rules.map(withoutCounts) });
  return (
    <section>
      <h2>{faults.list}</h2>
      <ul class="cards">
        {rules.map((rule, place) => (
          <RuleCard key={place} rule={rule} number={place + 1} onRemove={() => onRemove(place)} />
        ))}
      </ul>
      <p class="hint">{faults.againText}</p>
      <div class="actions">
        <button
          class="secondary small"
          type="button"
          data-testid={testIds.repeatFaults}
          onClick={onRepeat}
        >
          {faults.again}
        </button>
        <CopyButton text={command} label={faults.copy} />
        <AskFirst
          label={faults.clear}
          title={faults.sure}
          text={faults.sureText}
          testId={testIds.clearFaults}
          onYes={onClear}
        />
      </div>
    </section>
  );
}

type Card = {
  readonly rule: CountedRule;
  readonly number: number;
  readonly onRemove: () => void;
};

function RuleCard({ rule, number, onRemove }: Card): JSX.Element {
  const { faults } = words;
  const { hits, seen, rate, seed, times = null } = rule;
  return (
    <li class="card" data-testid={testIds.rule(number)}>
      <dl class="pairs">
        <Pair name={faults.operation}>
          {named(faults.operations, rule.operation)} <Code text={rule.operation} />
        </Pair>
        <Pair name={faults.fault}>{faultText(rule)}</Pair>
        <Pair name={faults.rate}>
          <bdi dir="ltr">{Math.round(rate * 1000) / 10}%</bdi>{' '}
          {times === null ? null : fill(faults.left, { times })}
        </Pair>
        <Pair name={faults.seed}>
          <Code text={String(seed)} />
        </Pair>
        <Pair name={faults.hits}>{fill(faults.hitsOf, { hits, seen })}</Pair>
      </dl>
      <button
        class="secondary small"
        type="button"
        aria-label={faults.removeName.replace('{number}', String(number))}
        data-testid={testIds.removeRule(number)}
        onClick={onRemove}
      >
        {faults.remove}
      </button>
    </li>
  );
}

type Named = { readonly name: string; readonly children: ComponentChildren };

function Pair({ name, children }: Named): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function faultText({ status, record, latency_ms: latency, answer }: CountedRule): JSX.Element {
  const { add } = words.faults;
  if (status !== undefined) return <Code text={`HTTP ${status}`} />;
  if (record !== undefined) return <Code text={record} />;
  if (latency !== undefined) {
    const text = typeof latency === 'number' ? latency : `${latency.min}–${latency.max}`;
    return (
      <>
        {add.latency} <bdi dir="ltr">{text}</bdi> {words.common.units.milliseconds}
      </>
    );
  }
  if (answer === 'malformed' || answer === 'cut' || answer === 'timeout') return <>{add[answer]}</>;
  return <Code text={answer ?? ''} />;
}
