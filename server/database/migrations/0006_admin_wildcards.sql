-- Admins hold everything but organization:delete by wildcards too, so that they can give the roles below them.
insert into permissions (id, name, description)
select gen_random_uuid(), '*:' || action, description
from (values ('write', 'Write everything'), ('delete', 'Delete everything'), ('admin', 'Administer everything'),
  ('execute', 'Execute everything')) as added (action, description)
on conflict (name) do nothing;
--> statement-breakpoint
insert into role_permissions (role_id, permission_id)
select r.id, p.id from roles r cross join permissions p
where r.is_system_role and r.name = 'admin' and p.name in ('*:read', '*:write', '*:admin', '*:execute')
on conflict do nothing;
