import { Faults } from '../engine/faults.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { scopesFull } from './errors.ts';
import { FaultsAnswer, FaultsBody, ruleRow, rulesOf, TAKES } from './faults-wire.ts';
import { scopeOfCaller } from './scope.ts';

const response = { 200: FaultsAnswer };

/** GET /simulator/faults: the rules that are set, each with its seed and its counts. */
export function listFaults(app: TypedApp, { engine }: ControlOptions): void {
  const schema = { operationId: 'listFaults', summary: 'The faults that calls meet', response };
  app.get('/faults', { schema }, (request) => {
    const { faults } = engine.scopes.of(scopeOfCaller(request));
    return { data: faults?.list().map(ruleRow) ?? [] };
  });
}

/**
 * PUT /simulator/faults: replaces all rules of the scope. A call that waits meanwhile keeps what was
 * decided about it.
 */
export function setFaults(app: TypedApp, { engine }: ControlOptions): void {
  const schema = {
    operationId: 'setFaults',
    summary: 'Have calls meet faults, or none',
    body: FaultsBody,
    response,
  };
  app.put('/faults', { schema, config: { takes: TAKES, refuses: ['scopes.full'] } }, (request) => {
    const scope = scopeOfCaller(request);
    const rules = rulesOf(request.body, engine.newSeed);
    const faults = rules.length === 0 ? null : new Faults(rules);
    if (!engine.scopes.change(scope, { faults })) throw scopesFull(engine.scopes);
    return { data: faults?.list().map(ruleRow) ?? [] };
  });
}
