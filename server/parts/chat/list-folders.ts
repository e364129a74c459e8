import Type, { type Static } from 'typebox'
import type { Scope } from '#platform/access/scope.ts'

/** @limit listed folders */
const FOLDERS_MAX = 1_000

export const FolderList = Type.Object(
  {
    folders: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the folder.' }),
        chats: Type.Integer({ description: 'Number of chats in the folder.' }),
      }),
      { description: 'Folders by name, at most 1,000.' },
    ),
  },
  { title: 'ChatFolders' },
)
type FolderList = Static<typeof FolderList>

/** Returns the caller's chat folders, ordered by name. */
export async function listFolders(scope: Scope<'chats:read'>): Promise<FolderList> {
  const folders = await scope.sql<FolderList['folders']>`
    select folder as name, count(*)::int as chats from chats
    where organization_id = ${scope.organizationId} and user_id = ${scope.userId} and folder is not null
      and status <> 'DELETED' and not is_conversation
    group by folder order by folder limit ${FOLDERS_MAX}`
  return { folders: [...folders] }
}
