import { createMessages } from '@parley/messages'
// The build replaces English by the language that it builds for.
import messages from '../messages/en.ts'

export const t = createMessages<typeof messages>(document.documentElement.lang, messages)
