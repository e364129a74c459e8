/*
 * Characters without a visible form: white space, control characters, fillers, zero-width characters and marks of the
 * direction of text. Written as ranges, because not every client's regular expressions know Unicode properties.
 */
const INVISIBLE =
  '\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb'

/** Further ones, which a pattern for clients cannot have: many regular expressions read halves of them. */
const INVISIBLE_BEYOND = '\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}'

/** Pattern of a text with at least one visible character. The server itself uses VISIBLE, which knows more of them. */
export const VISIBLE_CHARACTER = `[^${INVISIBLE}]`

export const VISIBLE = new RegExp(`[^${INVISIBLE}${INVISIBLE_BEYOND}]`, 'u')

/** Returns whether a text has no visible character. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text)
