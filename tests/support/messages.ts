import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Folders with messages. Each contains, for each language, one file or a subfolder with one file per area. */
export const MESSAGE_FOLDERS = ['console/src/messages', 'widget/messages', 'server/platform/mail/messages']

/** Returns all messages of a language by key, from one file or from a subfolder with one file per area. */
export async function messagesIn(folder: string, language: string): Promise<Map<string, string>> {
  const files = globSync([join(folder, `${language}.ts`), join(folder, language, '*.ts')])
  const areas = files.filter((file) => !/(?:first|chats|rest)\.ts$/.test(file))
  const messages = await Promise.all(
    areas.map(async (file) => {
      const { default: area } = await import(pathToFileURL(file).href)
      return flatten(area, file === `${folder}/${language}.ts` ? '' : `${basename(file, '.ts')}.`)
    }),
  )
  return new Map(messages.flat())
}

/** @param path where the messages are, with a dot at its end unless it is empty */
const flatten = (messages: object, path: string): [string, string][] =>
  Object.entries(messages).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : flatten(value, `${path}${key}.`),
  )
