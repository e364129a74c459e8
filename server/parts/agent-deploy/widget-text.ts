import { createMessages, findLanguage, type Language, type Messages } from '@parley/messages'
import { acceptedLanguages } from '#platform/http/accept.ts'
import de from '../../../widget/messages/de.ts'
import en from '../../../widget/messages/en.ts'

/** The widget's messages in one language. */
export interface WidgetText {
  language: Language
  t: Messages<typeof en>
}

const textIn = (language: Language, messages: object): WidgetText => ({
  language,
  t: createMessages<typeof en>(language, messages),
})
const TEXTS: Record<Language, WidgetText> = { en: textIn('en', en), de: textIn('de', de) }

/** Returns the widget's messages in the best language for an Accept-Language header. */
export const textFor = (acceptLanguage: string | undefined): WidgetText =>
  TEXTS[findLanguage(acceptedLanguages(acceptLanguage)) ?? 'en']
