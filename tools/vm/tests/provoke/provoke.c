// SPDX-License-Identifier: GPL-2.0
/*
 * Does what the kernel's checks are there to report, one thing for each value
 * of the parameter "how": for tests of who reads the reports. LKDTM has the
 * others.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *how = "";
module_param(how, charp, 0444);
MODULE_PARM_DESC(how, "locks, rcu, refcount, shift or leak");

static DEFINE_SPINLOCK(lock_a);
static DEFINE_SPINLOCK(lock_b);

static void provoke_locks(void)
{
	spin_lock(&lock_a);
	spin_lock(&lock_b);
	spin_unlock(&lock_b);
	spin_unlock(&lock_a);
	spin_lock(&lock_b);
	spin_lock(&lock_a);
	spin_unlock(&lock_a);
	spin_unlock(&lock_b);
}

static int __rcu *nobody;

static void provoke_rcu(void)
{
	pr_info("provoke: %d\n", !!rcu_dereference(nobody));
}

static void provoke_refcount(void)
{
	refcount_t ref = REFCOUNT_INIT(0);

	refcount_inc(&ref);
}

static void provoke_shift(void)
{
	unsigned int by = 40;

	OPTIMIZER_HIDE_VAR(by);
	pr_info("provoke: %d\n", 1 << by);
}

/* Many: an address may stay on a stack, where the scan finds it */
static void provoke_leak(void)
{
	void *lost;
	int i;

	for (i = 0; i < 100; i++) {
		lost = kmalloc(4000, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(lost);
	}
}

static int __init provoke_init(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{ "locks", provoke_locks },
		{ "rcu", provoke_rcu },
		{ "refcount", provoke_refcount },
		{ "shift", provoke_shift },
		{ "leak", provoke_leak },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, how))
			continue;
		kinds[i].run();
		return 0;
	}
	return -EINVAL;
}
module_init(provoke_init);

static void __exit provoke_exit(void)
{
}
module_exit(provoke_exit);

MODULE_DESCRIPTION("Provokes reports of kernel checks");
MODULE_LICENSE("GPL");
