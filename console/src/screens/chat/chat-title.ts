import { translator } from '../../messages/index.ts'

const t = translator('chat')

/** The server's title for a chat until its first complete reply. */
const UNTITLED = 'New Chat'

/** Returns the title to show. A chat without a title has the same name everywhere, in the user's language. */
export const chatTitle = ({ title }: { title: string }): string => (title === UNTITLED ? t('newChat') : title)
