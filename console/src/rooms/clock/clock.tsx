import type { JSX } from 'preact';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { OutcomeOf } from '../../parts/outcome-of.tsx';
import { Title } from '../../parts/title.tsx';
import { words } from '../../words/index.ts';
import { Fixed } from './fixed.tsx';
import { Moves } from './moves.tsx';
import { Time, type ClockState } from './time.tsx';

const PATH = '/simulator/clock';

export function Clock(): JSX.Element {
  const { data, failure, again } = useCall<ClockState>(PATH);
  const action = useAction();
  const move = (body: object, said: string) =>
    action.run(async () => {
      await call('POST', PATH, body);
      await again();
      return said;
    });
  const state = data.value;
  return (
    <>
      <Title>{words.clock.title}</Title>
      <p class="lead">{words.clock.lead}</p>
      <Failed failure={failure.value} />
      {state === null ? null : (
        <>
          <Time key={state.now} state={state} />
          {state.movable ? null : <Fixed />}
          <OutcomeOf action={action} />
          <Moves isMovable={state.movable} isBusy={action.isBusy.value} move={move} />
        </>
      )}
    </>
  );
}
