import type { FastifyPluginCallback } from 'fastify';
import { control } from './control.ts';
import { stampAnswers } from './http/stamp.ts';
import type { SimulatorOptions } from './options.ts';
import { provider } from './provider.ts';

/** Where the interface document's calls are found below the provider's address. */
export const DEFAULT_PREFIX = '/stg';

/**
 * The simulator's HTTP face: area B below its prefix, the control API below `/simulator`. It is
 * encapsulated (parser, validation, error handling are its own), so that it can be registered on
 * an application that answers errors in another form.
 */
export const simulator: FastifyPluginCallback<SimulatorOptions> = (app, options, done) => {
  stampAnswers(app);
  app.register(provider, { ...options, prefix: options.providerPrefix ?? DEFAULT_PREFIX });
  app.register(control, { ...options, prefix: '/simulator' });
  done();
};

export type { ControlAccess, Credentials, SimulatorOptions } from './options.ts';
