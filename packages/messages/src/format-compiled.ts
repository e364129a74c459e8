import format, { type CompiledMessage, type FormatOptions, type FormatValues } from 'icu-minify/format'

/** The options that use-intl passes to its formatter. */
interface Options extends FormatOptions {
  locale: string
  globalFormats?: FormatOptions['formats']
}

/**
 * Formats a compiled message. Throws for a missing value, as the formatter of uncompiled messages does. Without this
 * check, icu-minify would write `undefined`. icu-minify also lacks ICU's style `percent`.
 */
const formatCompiled = (
  _key: string,
  message: CompiledMessage,
  values: FormatValues | undefined,
  { locale, formats, globalFormats, ...options }: Options,
) =>
  format(message, locale, refuseMissing(values ?? {}), {
    ...options,
    formats: {
      dateTime: { ...globalFormats?.dateTime, ...formats?.dateTime },
      number: { percent: { style: 'percent' }, ...globalFormats?.number, ...formats?.number },
    },
  })

const refuseMissing = (values: FormatValues): FormatValues =>
  new Proxy(values, {
    get(target, name) {
      if (!Object.hasOwn(target, name)) throw new Error(`missing value: ${String(name)}`)
      return Reflect.get(target, name)
    },
  })

/** `raw: false` tells use-intl that compiled messages don't support `t.raw`. */
export default Object.assign(formatCompiled, { raw: false })
