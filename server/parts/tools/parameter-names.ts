/**
 * Matches the name of a parameter or function: an identifier in Python and JavaScript that all providers accept.
 * Excludes names such as `__proto__`, because both languages reserve names with two leading underscores.
 */
export const IDENTIFIER = /^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Splits a name at underscores and capital letters: `apiKey` and `api_key` become `api` and `key`. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')

/** Guesses from its name whether a configuration value is a secret: `api_key` is a secret, and `max_tokens` isn't. */
export const soundsSecret = (name: string): boolean =>
  wordsOf(name).some((word) => /(?:key|token|secret|passwd|password|credentials?)$/.test(word))
