import type { Translation } from '@parley/messages'
import type en from '../en/identity.ts'

export default {
  continue: 'Weiter',
  email: 'E-Mail',
  ended: {
    expired: 'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren.',
    signed_out:
      'Diese Sitzung wurde hier oder auf einem anderen Gerät abgemeldet. Melden Sie sich an, um fortzufahren.',
    password_changed: 'Das Passwort Ihres Kontos wurde geändert. Melden Sie sich mit dem neuen Passwort an.',
    address_proven:
      'Ihre E-Mail-Adresse wurde bestätigt. Damit endeten ältere Sitzungen. Melden Sie sich erneut an.',
    factors_reset:
      'Ein Administrator hat Ihre Zwei-Faktor-Authentifizierung zurückgesetzt. Melden Sie sich an, um sie neu einzurichten.',
    token_reused:
      'Parley hat diese Sitzung beendet, weil ihre Anmeldedaten zweimal verwendet wurden. Melden Sie sich an, und prüfen Sie Ihre Sitzungen in Ihrem Konto.',
  },
  firstName: 'Vorname',
  forgot: {
    title: 'Passwort vergessen?',
    hint: 'Parley sendet Ihnen per E-Mail einen Link, mit dem Sie ein neues Passwort festlegen.',
    send: 'Link senden',
    back: 'Zurück zur Anmeldung',
    sentTitle: 'Prüfen Sie Ihr Postfach',
    sent: 'Wenn es für <address>{email}</address> ein Konto gibt, hat Parley einen Link an diese Adresse gesendet. Der Link läuft in einer Stunde ab.',
    unsent:
      'Diese Installation versendet keine E-Mails. Wenn es für <address>{email}</address> ein Konto gibt, findet der Administrator den Link auf dem Server.',
    notReceived:
      'Wenn nach einigen Minuten keine E-Mail ankommt, prüfen Sie Ihren Spam-Ordner und die Adresse.',
    another: 'Andere Adresse verwenden',
  },
  goToParley: 'Zur Startseite',
  invitation: {
    loadingTitle: 'Ihre Einladung',
    title: '{organization} beitreten',
    ownTitle: 'Der Organisation von {inviter} beitreten',
    own: '<name>{inviter}</name> hat Sie in die eigene Organisation eingeladen, mit der Rolle <name>{role}</name>.',
    from: '<name>{inviter}</name> hat Sie zu <name>{organization}</name> eingeladen, mit der Rolle <name>{role}</name>.',
    unnamed: 'Sie sind zu <name>{organization}</name> eingeladen, mit der Rolle <name>{role}</name>.',
    validity: 'Die Einladung gilt für <address>{email}</address> und ist bis {date} gültig.',
    otherAccount:
      'Sie sind als <address>{current}</address> angemeldet. Wenn Sie beitreten, werden Sie stattdessen als <address>{invited}</address> angemeldet.',
    refusedTitle: 'Diese Einladung kann nicht angenommen werden',
    refusedHint:
      'Nur der Link in der neuesten Einladungs-E-Mail funktioniert. Öffnen Sie diesen Link, oder bitten Sie um eine neue Einladung.',
    accepted: 'Bereits angenommen?',
  },
  invite: {
    createAndJoin: 'Konto erstellen und beitreten',
    join: 'Organisation beitreten',
    known:
      'Geben Sie das Passwort Ihres Kontos mit dieser Adresse ein. Wenn Sie beitreten, werden Sie auf anderen Geräten abgemeldet und Ihre API-Schlüssel gelöscht.',
  },
  lastName: 'Nachname',
  leave: {
    title: '{name} verlassen?',
    consequence: 'Sie verlieren sofort den Zugriff. Um zurückzukehren, benötigen Sie eine Einladung.',
    action: 'Organisation verlassen',
    cancel: 'Abbrechen',
    doneTitle: 'Sie haben {name} verlassen',
    done: 'Sie sind kein Mitglied mehr.',
    failedTitle: 'Dieser Link funktioniert nicht',
    failedHint: 'Sie können eine Organisation auch in ihren Einstellungen verlassen.',
  },
  loading: 'Wird geladen',
  magicLink: {
    known:
      'Es gibt bereits ein Konto mit dieser Adresse. Wenn Sie beitreten, wird das Konto überall abgemeldet, sein Passwort entfernt, und seine API-Schlüssel werden gelöscht.',
    password: 'Passwort (optional)',
    newPassword: 'Neues Passwort (optional)',
    passwordHint:
      'Mindestens 8 Zeichen. Mit einem Passwort können Sie sich ohne Link aus einer E-Mail anmelden.',
    join: 'Beitreten und anmelden',
  },
  noToken: {
    title: 'Öffnen Sie den Link in Ihrer E-Mail',
    hint: 'Öffnen Sie diese Seite mit dem vollständigen Link aus der E-Mail.',
  },
  oidc: {
    title: 'Anmeldung läuft',
    failedTitle: 'Die Anmeldung wurde nicht abgeschlossen',
    notStarted: 'Diese Anmeldung wurde nicht in diesem Browser begonnen.',
    retry: 'Erneut versuchen',
    otherWay: 'Auf andere Weise anmelden',
  },
  password: 'Passwort',
  passwordHint: 'Mindestens 8 Zeichen',
  reset: {
    title: 'Neues Passwort festlegen',
    password: 'Neues Passwort',
    consequence: 'Sie werden auf allen Geräten abgemeldet, und Ihre API-Schlüssel werden gelöscht.',
    submit: 'Passwort festlegen',
    doneTitle: 'Passwort geändert',
    done: 'Sie sind auf allen Geräten abgemeldet. Melden Sie sich mit Ihrem neuen Passwort an.',
    another: 'Weiteren Link senden',
  },
  secondFactor: {
    title: 'Identität bestätigen',
    code: 'Code',
    codeHint: 'Der 6-stellige Code aus Ihrer Authenticator-App',
    recoveryCode: 'Wiederherstellungscode',
    recoveryHint: 'Jeder Wiederherstellungscode gilt einmal',
    useRecovery: 'Wiederherstellungscode verwenden',
    otherMethod: 'Andere Methode verwenden',
    back: 'Zurück zur Anmeldung',
  },
  signIn: {
    title: 'Anmelden',
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    newHere: 'Neu bei Parley?',
    oidc: 'Mit Ihrer Organisation anmelden',
    passkey: 'Passkey verwenden',
  },
  signUp: {
    title: 'Konto erstellen',
    submit: 'Konto erstellen',
    known: 'Haben Sie bereits ein Konto?',
    byInvitationTitle: 'Registrierung nur mit Einladung',
    byInvitation: 'Bitten Sie ein Mitglied Ihrer Organisation, Sie per E-Mail einzuladen.',
  },
  verify: {
    title: 'E-Mail-Adresse bestätigen',
    signInFirst: 'Melden Sie sich bei dem Konto an, das Sie mit dieser Adresse erstellt haben.',
    notYours:
      'Wenn Sie dieses Konto nicht erstellt haben, ignorieren Sie die E-Mail. Die Adresse bleibt dann unbestätigt. Um das Konto zu übernehmen, <link>legen Sie ein neues Passwort fest</link>.',
    signedInAs: 'Sie sind als <address>{email}</address> angemeldet.',
    submit: 'Adresse bestätigen',
    account: 'Zu Ihrem Konto',
    doneTitle: 'E-Mail-Adresse bestätigt',
    done: 'Sie müssen nichts weiter tun.',
  },
} satisfies Translation<typeof en>
