import type { FaultRule } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { ActionResult } from '../../parts/action-result.tsx';
import { Title } from '../../parts/title.tsx';
import { whileShown } from '../../platform/ticks.ts';
import { words } from '../../words/index.ts';
import { AddRule } from './add-rule.tsx';
import { RuleList } from './rule-list.tsx';
import { withoutCounts } from './rule.ts';

/** How often the counts are read. */
const COUNTS_MS = 2000;

/** The rules by which calls of the provider fail. */
export function Faults(): JSX.Element {
  const { faults } = words;
  const { data, failure, again } = useCall('listFaults');
  const action = useAction();
  useEffect(() => whileShown(COUNTS_MS, () => void again()), [again]);
  const rules = data.value ?? [];
  const replace = (next: readonly FaultRule[], said: string) =>
    action.run(async () => {
      await call('setFaults', { body: { faults: next } });
      await again();
      return said;
    });
  const kept = rules.map(withoutCounts);
  return (
    <>
      <Title>{faults.title}</Title>
      <p class="lead">{faults.lead}</p>
      <Failed failure={failure.value} />
      {data.value !== null && rules.length === 0 ? <p class="empty">{faults.none}</p> : null}
      {rules.length === 0 ? null : (
        <RuleList
          rules={rules}
          onRemove={(place) =>
            void replace(
              kept.filter((_, other) => other !== place),
              faults.removed,
            )
          }
          onRepeat={() => void replace(kept, faults.restarted)}
          onClear={() => void replace([], faults.cleared)}
        />
      )}
      <ActionResult action={action} />
      <AddRule onAdd={(rule) => void replace([...kept, rule], faults.add.said)} />
    </>
  );
}
