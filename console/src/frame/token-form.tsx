import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { entered, giveToken } from '../api/call.ts';
import { Code } from '../parts/code.tsx';
import { fill } from '../parts/fill.ts';
import { testIds } from '../test-ids.ts';
import { words } from '../words/index.ts';

/** Asks for `SIMULATOR_TOKEN`. `again`: the one before was refused. */
export function TokenForm({ again }: { readonly again: boolean }): JSX.Element {
  const { token } = words.frame;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const take = (event: Event) => {
    event.preventDefault();
    giveToken(field.current?.value.trim() ?? '');
  };
  return (
    <form class="panel token" onSubmit={take}>
      <h2>{token.title}</h2>
      <p>{fill(token.text, { name: <Code text="SIMULATOR_TOKEN" /> })}</p>
      <p>{token.scan}</p>
      {entered.value === 'refused' || entered.value === 'later' ? (
        <p class="notice" role="alert" data-testid={testIds.codeRefused}>
          {token.code[entered.value]}
        </p>
      ) : null}
      {again ? (
        <p class="notice" role="alert">
          {token.wrong}
        </p>
      ) : null}
      <label for="token">{token.field}</label>
      <input
        ref={field}
        id="token"
        type="password"
        dir="ltr"
        autocomplete="off"
        required
        data-testid={testIds.token}
      />
      <button class="primary" type="submit">
        {token.send}
      </button>
    </form>
  );
}
