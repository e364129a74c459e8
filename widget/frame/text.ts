import { createMessages } from '@parley/messages'
// The build replaces this import with the messages of the bundle's language.
import messages from '../messages/en.ts'

export const t = createMessages<typeof messages>(document.documentElement.lang, messages)
