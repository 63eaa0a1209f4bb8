import type { ControlError } from '@miftah/contract/control-client';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { Title } from '../../parts/title.tsx';
import { words } from '../../words/index.ts';
import { PeopleList } from './people-list.tsx';
import { PersonForm } from './person-form.tsx';
import { NOBODY } from './person.ts';
import { UnknownPerson } from './unknown-person.tsx';
import { usePeople } from './use-people.ts';

const NEW = 'new';

type Properties = { readonly rest: readonly string[] };

/** The invented people of the scope: all of them, or one to be changed. */
export function People({ rest: [first] }: Properties): JSX.Element | null {
  const some = usePeople();
  const action = useAction();
  useEffect(() => {
    if (first === undefined) return;
    // What was done before somebody has opened a form is no news after it, and nothing is looked for.
    action.clear();
    some.wanted.value = '';
  }, [first]);
  const onSaved = async (sentence: string) => {
    await some.again();
    action.said.value = sentence;
  };
  if (first === NEW) return <PersonForm key={first} person={NOBODY} isNew onSaved={onSaved} />;
  if (first !== undefined) return <OnePerson key={first} id={first} onSaved={onSaved} />;
  const people = some.data.value;
  if (people !== null) return <PeopleList people={people} some={some} action={action} />;
  return some.failure.value === null ? null : <Unread failure={some.failure.value} />;
}

type OneProperties = {
  readonly id: string;
  readonly onSaved: (sentence: string) => Promise<void>;
};

/** Somebody to be changed, who may be none of those who are shown. */
function OnePerson({ id, onSaved }: OneProperties): JSX.Element | null {
  const { data, failure } = useCall('readPerson', id);
  if (data.value !== null) {
    return <PersonForm person={data.value} isNew={false} onSaved={onSaved} />;
  }
  if (failure.value === null) return null;
  return failure.value.status === 404 ? <UnknownPerson /> : <Unread failure={failure.value} />;
}

function Unread({ failure }: { readonly failure: ControlError }): JSX.Element {
  return (
    <>
      <Title>{words.people.title}</Title>
      <Failed failure={failure} />
    </>
  );
}
