import { createMessages } from '@parley/messages'
// The build replaces English with its target language.
import messages from '../messages/en.ts'

export const t = createMessages<typeof messages>(document.documentElement.lang, messages)
