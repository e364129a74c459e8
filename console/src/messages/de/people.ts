import type { Translation } from '@parley/messages'
import type en from '../en/people.ts'

export default {
  unnamed: 'Mitglied {id}',
  members: {
    title: 'Mitglieder',
    description: 'Personen in dieser Organisation und Einladungen',
    invite: 'Personen einladen',
    search: 'Suche',
    searchHint: 'Name oder E-Mail',
    status: 'Status',
    allStatuses: 'Alle außer gesperrten',
    noMatches: 'Keine Treffer',
    noMatchesHint: 'Versuchen Sie es mit einer anderen Suche oder einem anderen Status.',
    empty: 'Noch keine Mitglieder',
    emptyHint: 'Laden Sie die ersten Personen ein.',
    table: 'Mitglieder und Einladungen',
    name: 'Name',
    role: 'Rolle',
    actions: 'Aktionen',
    you: '{name} <you>(Sie)</you>',
    pending: 'Neues Mitglied',
    pendingHint: 'Name und E-Mail-Adresse erscheinen, nachdem diese Person die Organisation geöffnet hat.',
    roleOf: 'Rolle von {name}',
    roleDeleted: 'Gelöschte Rolle',
    roleChanged: 'Rolle von {name} in {role} geändert',
  },
  status: {
    active: 'Aktiv',
    pending: 'Eingeladen',
    expired: 'Einladung abgelaufen',
    suspended: 'Gesperrt',
  },
  menu: {
    label: 'Aktionen für {name}',
    unnamed: 'Mitglied',
    makeOwner: 'Zum Inhaber machen',
    suspend: 'Sperren',
    suspended: '{name} gesperrt',
    reactivate: 'Entsperren',
    reactivated: '{name} entsperrt',
    remove: 'Entfernen',
    removeTitle: '{name} entfernen?',
    removeConsequence:
      '{member} verliert sofort den Zugriff, und die zugehörigen API-Schlüssel für diese Organisation funktionieren nicht mehr. Alle erstellten Inhalte bleiben in der Organisation.',
    removed: '{name} entfernt',
    resend: 'Einladung erneut senden',
    resent: 'Neuer Link an {email} gesendet',
    newLink: 'Neuen Link erstellen',
    notResent:
      'Neuer Link erstellt. Diese Installation versendet aber keine E-Mails: {email} hat den Link nicht erhalten.',
    revoke: 'Einladung widerrufen',
    revokeTitle: 'Einladung für {email} widerrufen?',
    revokeConsequence: 'Der Link in der Einladung funktioniert dann nicht mehr.',
    revoked: 'Einladung für {email} widerrufen',
  },
  transfer: {
    title: '{name} zum Inhaber machen?',
    consequence:
      '{name} erhält die volle Kontrolle über {organization}, und Sie werden Admin. Nur der neue Inhaber kann die Inhaberschaft zurückübertragen.',
    action: 'Inhaberschaft übertragen',
    done: '{name} ist jetzt Inhaber',
  },
  invite: {
    title: 'Zu {organization} einladen',
    method: 'Einladungsmethode',
    byEmail: 'Per E-Mail',
    byAccount: 'Personen mit Konto',
    cancel: 'Abbrechen',
    emails: 'E-Mail-Adressen',
    emailsHint: 'Durch Kommas, Leerzeichen oder Zeilenumbrüche getrennt',
    notEmails:
      '{count, plural, one {Keine E-Mail-Adresse: {addresses}} other {Keine E-Mail-Adressen: {addresses}}}',
    tooMany: 'Höchstens {limit, plural, one {# Adresse} other {# Adressen}} auf einmal',
    role: 'Rolle',
    message: 'Nachricht (optional)',
    messageHint: 'Wird in die E-Mail aufgenommen',
    messageHintUnsent: 'Wird mit der Einladung angezeigt',
    send: '{count, plural, one {Einladung senden} other {# Einladungen senden}}',
    create: '{count, plural, one {Einladung erstellen} other {# Einladungen erstellen}}',
  },
  invited: {
    title:
      '{count, plural, =0 {Keine Einladungen gesendet} one {# Einladung gesendet} other {# Einladungen gesendet}}',
    description:
      'Jede E-Mail enthält einen Link, der sieben Tage gültig ist. Wenn eine E-Mail nicht ankommt, geben Sie ihren Link selbst weiter. Die Links werden nur einmal angezeigt.',
    titleUnsent:
      '{count, plural, =0 {Keine Einladungen erstellt} one {# Einladung erstellt} other {# Einladungen erstellt}}',
    descriptionUnsent:
      'Diese Installation versendet keine E-Mails. Geben Sie jeden Link selbst weiter. Die Links sind sieben Tage gültig und werden nur einmal angezeigt.',
    fix: 'Fehlgeschlagene Einladungen korrigieren',
    done: 'Fertig',
    list: 'Einladungen',
    created: 'Erstellt',
    failed: 'Fehlgeschlagen',
    messageLeftOut:
      'Ihre Nachricht wurde weggelassen, weil Sie Ihre eigene E-Mail-Adresse noch nicht bestätigt haben.',
    useSearch:
      'Diese Person hat bereits ein Konto. Gehen Sie zurück, und fügen Sie die Person unter „Personen mit Konto“ hinzu.',
  },
  link: {
    title: 'Neuer Link gesendet',
    description:
      'Parley hat den Link an {email} gesendet. Der Link ist sieben Tage gültig. Frühere Links funktionieren nicht mehr.',
    note: 'Wenn die E-Mail nicht ankommt, geben Sie diesen Link selbst weiter. Der Link wird nur einmal angezeigt.',
    titleUnsent: 'Neuer Link',
    descriptionUnsent:
      'Diese Installation versendet keine E-Mails. Geben Sie diesen Link selbst an {email} weiter. Er ist sieben Tage gültig und wird nur einmal angezeigt. Frühere Links funktionieren nicht mehr.',
    copy: 'Link für {email} kopieren',
    done: 'Fertig',
  },
  addPerson: {
    off: 'Das Hinzufügen von Benutzern ohne Einladung ist für diese Organisation deaktiviert. Ein Administrator dieser Installation kann es aktivieren.',
    description:
      'Die Person wird sofort Mitglied. Die Suche findet Personen, mit denen Sie eine andere Organisation teilen.',
    search: 'Person',
    searchHint: 'Name oder E-Mail-Adresse',
    found: 'Gefundene Personen',
    nobody:
      'In Ihren Organisationen wurde niemand gefunden. Wenn diese Person ein Konto hat, fragen Sie nach der Benutzer-ID in ihren Kontoeinstellungen, und geben Sie die ID oben ein.',
    add: 'Mitglied hinzufügen',
    added: 'Mitglied hinzugefügt',
  },
  roles: {
    title: 'Rollen',
    description: 'Eine Rolle legt fest, was ein Mitglied tun kann. Jedes Mitglied hat eine Rolle.',
    permissions: 'Berechtigungen',
    create: 'Rolle erstellen',
    search: 'Rollen suchen',
    role: 'Rolle',
    level: 'Stufe',
    members: 'Mitglieder',
    system: 'System',
    none: 'Keine',
  },
  role: {
    new: 'Rolle erstellen',
    name: 'Name',
    level: 'Stufe',
    levelHint:
      'Mitglieder können nur Mitglieder und Rollen unterhalb ihrer eigenen Stufe verwalten. Inhaber haben 100, Admins 80, Mitglieder 20, Gäste 10.',
    description: 'Beschreibung (optional)',
    system: 'Systemrollen können nicht geändert werden.',
    readOnly: 'Sie haben keine Berechtigung, diese Rolle zu ändern.',
    delete: 'Löschen',
    deleteTitle: 'Rolle „{name}“ löschen?',
    deleteConsequence:
      'Nur Rollen ohne Mitglieder können gelöscht werden. Das kann nicht rückgängig gemacht werden.',
    deleted: 'Rolle {name} gelöscht',
    cancel: 'Abbrechen',
    create: 'Rolle erstellen',
    created: 'Rolle {name} erstellt',
    save: 'Rolle speichern',
    saved: 'Rolle {name} gespeichert. Die Änderung gilt sofort.',
  },
  systemRoleDescription: {
    owner: 'Voller Zugriff',
    admin: 'Verwaltet Mitglieder, Einstellungen und alle Inhalte. Kann die Organisation nicht löschen.',
    member:
      'Liest alles. Schreibt Chats, Unterhaltungen, Verbindungen und Wissensdatenbanken. Führt Agenten und Tools aus.',
    guest: 'Nur Lesezugriff',
  },
  permissions: {
    title: 'Berechtigungen dieser Installation',
    description:
      'Eigene Berechtigungen sind für Ihre eigenen Programme. Rollen aller Organisationen können sie enthalten.',
    empty: 'Noch keine eigenen Berechtigungen',
    list: 'Eigene Berechtigungen',
    name: 'Name',
    nameHint: 'Eine Ressource und eine Aktion, durch Doppelpunkt getrennt',
    nameFormat: 'In Kleinbuchstaben, zum Beispiel report:read',
    permissionDescription: 'Beschreibung (optional)',
    add: 'Berechtigung hinzufügen',
    remove: '{name} entfernen',
    removeTitle: '{name} entfernen?',
    removeConsequence:
      'Die Berechtigung wird aus allen Rollen aller Organisationen entfernt. Das kann nicht rückgängig gemacht werden.',
    removeAction: 'Berechtigung entfernen',
  },
  pager: {
    label: 'Seiten',
    previous: 'Zurück',
    page: 'Seite {page, number} von {pages, number}',
    next: 'Weiter',
  },
} satisfies Translation<typeof en>
