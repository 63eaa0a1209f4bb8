import type { Timer } from './runtime.port.ts';

export const systemTimer: Timer = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
