ALTER TABLE "users" ADD COLUMN "leaving" text;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "closed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "users_leaving" ON "users" USING btree ("id") WHERE "users"."leaving" is not null;--> statement-breakpoint
CREATE INDEX "organizations_closed" ON "organizations" USING btree ("closed_at") WHERE "organizations"."closed_at" is not null;--> statement-breakpoint
-- Who is gone stays gone: what goes on deleting relies on it.
create function refuse_reopening() returns trigger language plpgsql as $$
begin
  raise exception '% that are being deleted do not come back', tg_table_name using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger organizations_stay_closed before update of closed_at on organizations
  for each row when (old.closed_at is not null and new.closed_at is distinct from old.closed_at)
  execute function refuse_reopening();
--> statement-breakpoint
create trigger users_stay_gone before update of leaving on users
  for each row when (old.leaving is not null and new.leaving is null)
  execute function refuse_reopening();
--> statement-breakpoint
-- Entries go only together with their organization: with its row, or before it where it is being deleted.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE'
    and not exists (select from organizations where id = old.organization_id and closed_at is null) then
    return old;
  end if;
  raise exception '% are never changed', replace(tg_table_name, '_', ' ') using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
-- What an entry of the audit says, without an email address.
create function without_address(said jsonb, address text) returns jsonb language sql immutable as $$
  select regexp_replace(said::text,
    '(?<![a-z0-9._%+-])' || regexp_replace(address, '([^a-z0-9@])', '\\\1', 'g') || '(?![a-z0-9-]|\.[a-z0-9])',
    '(removed)', 'gi')::jsonb
$$;
--> statement-breakpoint
-- The one change of an entry: of somebody whose account is being deleted (parley.leaving, parley.address, set for the
-- transaction) his own addresses go, and what he called records that were his alone. That it was done stays.
create function refuse_audit_change() returns trigger language plpgsql as $$
declare
  person uuid := nullif(current_setting('parley.leaving', true), '')::uuid;
  address text := current_setting('parley.address', true);
  is_own boolean := old.actor_id = person and old.record_type in ('api_key', 'mcp_instance');
begin
  if exists (select from users where id = person and leaving is not null)
    and (new.id, new.organization_id, new.actor_id, new.api_key_id, new.action, new.record_type, new.record_id,
      new.request_id, new.created_at) is not distinct from (old.id, old.organization_id, old.actor_id,
      old.api_key_id, old.action, old.record_type, old.record_id, old.request_id, old.created_at)
    and new.ip_address = (case when old.actor_id = person then '(removed)' else old.ip_address end)
    and new.before is not distinct from (case when not is_own then without_address(old.before, address) end)
    and new.after is not distinct from (case when not is_own then without_address(old.after, address) end) then
    return new;
  end if;
  raise exception 'audit entries are never changed' using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create or replace trigger audit_entries_append_only before delete on audit_entries
  for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_entries_unchanged before update on audit_entries
  for each row execute function refuse_audit_change();
