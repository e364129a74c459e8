import type { Upload } from '@parley/client/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, upload } from '../../api/client.ts'
import { outdate } from '../../api/queries.ts'
import { CONTENT } from './status.tsx'

export interface OutgoingFile {
  key: number
  file: File
  /** The fraction of the file that has been uploaded, from 0 to 1. */
  share: number
  error: Error | null
}

export interface Uploads {
  /** The uploads that are in progress or have failed. Finished uploads appear in the list of documents. */
  files: OutgoingFile[]
  add(files: Iterable<File>): void
  retry(key: number): void
  /** Removes a file from the list. Aborts its upload if it is in progress. */
  remove(key: number): void
}

/** Maximum number of concurrent uploads. */
const AT_ONCE = 3
/** Maximum number of files per source, as on the server (server/parts/kb/source-config.ts). */
const SOURCE_FILES_MAX = 100

interface Sending extends OutgoingFile {
  giveUp: AbortController
  /** The id of the uploaded file. Null until the upload is complete. */
  uploadId: string | null
}

/** Uploads files into a knowledge base, one request per file. Files that are chosen together become one source. */
export function useUploads(kbId: string): Uploads {
  const client = useQueryClient()
  const last = useRef(0)
  const [files, setFiles] = useState<OutgoingFile[]>([])
  const known = useRef(new Map<number, Sending>())

  const show = () =>
    setFiles([...known.current.values()].map(({ key, file, share, error }) => ({ key, file, share, error })))

  const isSending = files.some(({ error }) => error === null)
  useEffect(() => {
    if (!isSending) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isSending])

  async function sendOne(one: Sending): Promise<void> {
    if (one.uploadId !== null || one.giveUp.signal.aborted) return
    try {
      const { id } = await upload<Upload>('/api/kb/upload_file', {
        query: { kb_id: kbId },
        file: one.file,
        signal: one.giveUp.signal,
        onProgress(share) {
          one.share = share
          show()
        },
      })
      one.uploadId = id
    } catch (error) {
      one.error = error as Error
    }
    show()
  }

  async function send(some: Sending[]): Promise<void> {
    const waiting = [...some]
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) await sendOne(one)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const sent = some.filter(({ uploadId, giveUp }) => uploadId !== null && !giveUp.signal.aborted)
    for (let from = 0; from < sent.length; from += SOURCE_FILES_MAX)
      await keep(sent.slice(from, from + SOURCE_FILES_MAX))
  }

  async function keep(sent: Sending[]): Promise<void> {
    const config = { upload_ids: sent.map(({ uploadId }) => uploadId) }
    try {
      await api.request('POST /api/kb/add_source', {
        query: { kb_id: kbId },
        body: { type: 'file', config },
      })
      for (const { key } of sent) known.current.delete(key)
    } catch (error) {
      for (const one of sent) one.error = error as Error
    }
    show()
    await outdate(client, ...CONTENT)
  }

  return {
    files,
    add(picked) {
      const some = Array.from(picked, (file): Sending => {
        last.current += 1
        return {
          key: last.current,
          file,
          share: 0,
          error: null,
          giveUp: new AbortController(),
          uploadId: null,
        }
      })
      for (const one of some) known.current.set(one.key, one)
      show()
      void send(some)
    },
    retry(key) {
      const one = known.current.get(key)
      if (!one) return
      one.error = null
      show()
      void send([one])
    },
    remove(key) {
      known.current.get(key)?.giveUp.abort()
      known.current.delete(key)
      show()
    },
  }
}
