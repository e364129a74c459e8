/**
 * Name of a parameter or function: an identifier in Python and JavaScript that every provider accepts. Leading
 * double underscores are reserved by languages (`__proto__`).
 */
export const IDENTIFIER = /^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Splits a name at underscores and capital letters: `apiKey` and `API_KEY` become api and key. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')

/** Guesses from its name whether a configuration value is a secret. `max_tokens` is not. */
export const soundsSecret = (name: string): boolean =>
  wordsOf(name).some((word) => /(?:key|token|secret|passwd|password|credentials?)$/.test(word))
