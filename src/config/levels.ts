/** How much an agent may do, from least to most. What each command needs is the policy's business. */
export const LEVELS = ['inspect', 'debug', 'unrestricted'] as const;
export type Level = (typeof LEVELS)[number];
